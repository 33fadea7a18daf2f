import type { ApiResponse } from '../harness/call.ts';
import type { Person, Product } from '../harness/product.ts';
import { expectStatus } from '../harness/tenants.ts';

/** A file as the upload operation answers it. Source: decisions 9. */
export interface PreparedFile {
  key: string;
  name: string;
  type: string;
  size: number;
  upload: { method: string; url: string; fields: Record<string, string> };
  expiresAt: string;
}

export const offer = { name: 'offer.pdf', type: 'application/pdf', size: 5 };

export function prepare(
  product: Product,
  { token }: Person,
  files: readonly unknown[],
  at = new Date(),
): Promise<ApiResponse> {
  return product.call('create-uploads', { token, body: { files }, at });
}

export async function preparedFile(
  product: Product,
  person: Person,
  file: Record<string, unknown> = {},
  at?: Date,
): Promise<PreparedFile> {
  return expectStatus(await prepare(product, person, [{ ...offer, ...file }], at), 200).files[0];
}

/** Sends the file as a page's form does, with the page's own means. */
export function sendForm(
  { upload }: PreparedFile,
  content: string | Uint8Array<ArrayBuffer>,
  fileName = 'chosen.bin',
) {
  const form = new FormData();
  for (const [field, value] of Object.entries(upload.fields)) {
    form.append(field, value);
  }
  form.append('file', new Blob([content]), fileName);
  return fetch(upload.url, { method: upload.method, body: form });
}

/** A file of this content, uploaded. */
export async function uploadedFile(
  product: Product,
  person: Person,
  content: string | Uint8Array<ArrayBuffer>,
  file: Record<string, unknown> = {},
): Promise<PreparedFile> {
  const prepared = await preparedFile(product, person, file);
  const { status } = await sendForm(prepared, content);
  if (status !== 204) {
    throw new Error(`The upload answered ${status}`);
  }
  return prepared;
}
