import { unpacked } from '../../../../shared/kernel/packing.ts';
import { day, second } from '../../../../shared/kernel/time.ts';
import type { OwnedObjects } from '../../../../shared/notes/owned-objects.ts';
import { keyParts } from '../../../../shared/table/key.ts';
import { contactIn, organizationIn } from '../../../../shared/table/spaces.ts';

/** A batch of the stream's records that a reader gave up, as Lambda keeps it. Source: Lambda, "Capturing discarded batches". */
interface FailedBatch {
  /** The event, as JSON. */
  readonly payload?: string;
}

interface FailedRecord {
  readonly eventName?: string;
  readonly dynamodb?: {
    readonly ApproximateCreationDateTime?: number;
    readonly Keys?: Readonly<Record<string, { readonly S?: string }>>;
    readonly NewImage?: Image;
    readonly OldImage?: Image;
  };
}

type Image = Readonly<Record<string, { readonly S?: string; readonly B?: string; readonly N?: string }>>;

/** The ids of the deleted contacts of an organization. */
export type DeletedContactsIn = (organizationId: string) => Promise<ReadonlySet<string>>;

/** Every id in a text, also within an id that is composed of two. An organization may have deleted more contacts than a batch names. */
const ids = /(?=([0-7][0-9A-HJKMNP-TV-Z]{25}))/g;

/**
 * A failed batch without what it tells of deleted contacts. What is still to be done about them stays: of the deletion itself its key,
 * what names the objects to delete, and the event of the removal.
 * @returns the text of the batch; undefined when nothing is left of it.
 */
export async function dropDeletedContacts(
  text: string,
  deletedContactsIn: DeletedContactsIn,
  now: Date,
): Promise<string | undefined> {
  const batch = JSON.parse(text) as FailedBatch;
  const { Records: records = [], ...event } = JSON.parse(batch.payload ?? '{}') as {
    Records?: FailedRecord[];
  };
  const kept: FailedRecord[] = [];
  for (const record of records) {
    kept.push(...(await withoutContact(record, deletedContactsIn, now)));
  }
  if (kept.every((record, index) => record === records[index]) && kept.length === records.length) {
    return text;
  }
  return kept.length === 0
    ? undefined
    : JSON.stringify({ ...batch, payload: JSON.stringify({ ...event, Records: kept }) });
}

async function withoutContact(
  record: FailedRecord,
  deletedContactsIn: DeletedContactsIn,
  now: Date,
): Promise<FailedRecord[]> {
  const { dynamodb = {}, eventName } = record;
  const [partition, sort] = [dynamodb.Keys?.pk?.S ?? '', dynamodb.Keys?.sk?.S ?? ''];
  const organizationId = organizationIn(partition);
  if (organizationId === undefined) {
    return [record];
  }
  const erased = await deletedContactsIn(organizationId);
  const contactId = contactIn(partition);
  const [kind] = keyParts(sort);
  const { ApproximateCreationDateTime: seconds = 0, NewImage, OldImage } = dynamodb;
  const age = now.getTime() - seconds * second;
  if (contactId === undefined) {
    const text = JSON.stringify([partition, sort, contentOf(NewImage), contentOf(OldImage)]);
    const isAboutDeleted = text.matchAll(ids).some(([, id = '']) => erased.has(id));
    const isRemoval = kind === 'EVENT' && nameIn(NewImage ?? OldImage) === 'contact_removed';
    return isRemoval || !isAboutDeleted ? [record] : [];
  }
  if (!erased.has(contactId)) {
    return [record];
  }
  if (kind === 'OBJECTS' && eventName === 'REMOVE') {
    return [age < day ? record : withoutUploads(record)];
  }
  const isDeletion = (kind === 'CONTACT' || kind === 'CONTACT_MERGED') && eventName === 'REMOVE';
  const isRestOfDeletion = kind === 'SWEEP' && eventName !== 'REMOVE';
  return isDeletion || isRestOfDeletion ? [withoutImages(record)] : [];
}

/** The keys of uploads end with the names of files. The bucket itself deletes uploads after a day. */
function withoutUploads(record: FailedRecord): FailedRecord {
  const { OldImage: image } = record.dynamodb ?? {};
  const owned = contentOf(image) as OwnedObjects | undefined;
  const objects = owned?.objects.filter(({ area }) => area !== 'uploads');
  if (objects === undefined || objects.length === owned?.objects.length) {
    return record;
  }
  const OldImage: Image = { ...image, data: { S: JSON.stringify({ ...owned, objects }) } };
  return { ...record, dynamodb: { ...record.dynamodb, OldImage } };
}

function withoutImages(record: FailedRecord): FailedRecord {
  const { NewImage, OldImage, ...dynamodb } = record.dynamodb ?? {};
  return NewImage === undefined && OldImage === undefined ? record : { ...record, dynamodb };
}

/** The name of the event in an image. */
const nameIn = (image: Image | undefined) => (contentOf(image) as { event?: unknown } | undefined)?.event;

/** The record in an image, unpacked. */
function contentOf({ data }: Image = {}): unknown {
  const packed = data?.S ?? (data?.B === undefined ? undefined : Buffer.from(data.B, 'base64'));
  return packed === undefined ? undefined : unpacked(packed);
}
