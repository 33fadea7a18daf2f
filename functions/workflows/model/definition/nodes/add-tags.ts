import { tagsNode } from './tags-node.ts';

export default tagsNode({
  type: 'addTags',
  title: 'Add tags',
  description:
    'Adds tags to the contact, as `addTags` of `PUT /api/contacts/{id}` does; the others stay. A contact that has them already does not change.',
  field: 'addTags',
});
