import { tagsNode } from './tags-node.ts';

export default tagsNode({
  type: 'removeTags',
  title: 'Remove tags',
  description:
    'Takes tags from the contact, as `removeTags` of `PUT /api/contacts/{id}` does; the others stay. A contact that has none of them does not change.',
  field: 'removeTags',
});
