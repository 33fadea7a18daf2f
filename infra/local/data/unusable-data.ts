const remedy = 'start with --fresh, or choose another data directory with DATA_DIR=.';

/** The data has another layout. The message is for the person who starts the host; there is no cause. */
export function madeByAnotherVersion(where: string): Error {
  return new Error(`${where} was written by another version of Switchboard: ${remedy}`);
}

/** The file cannot be read, for whatever reason. */
export function damaged(file: string): Error {
  return new Error(`${file} is damaged, or was written by another version of Switchboard: ${remedy}`);
}
