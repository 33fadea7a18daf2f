const remedy = 'start with --fresh, or choose another data directory with DATA_DIR=.';

/** For data of another layout. One sentence for whoever starts the host, with nothing behind it: no cause, no issues. */
export function madeByAnotherVersion(where: string): Error {
  return new Error(`${where} was made by another version of Switchboard: ${remedy}`);
}

/** For a file that cannot be read as what it should be; who has damaged it cannot be known. */
export function damaged(file: string): Error {
  return new Error(`${file} is damaged, or was made by another version of Switchboard: ${remedy}`);
}
