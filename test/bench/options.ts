/** The number that an option of a command line has. @throws an `Error` that names the option. */
export function numberFrom(least: number, option: string, text: string): number {
  const value = Number(text);
  if (!(value >= least)) {
    throw new Error(`${option} must be a number from ${least}; it was "${text}".`);
  }
  return value;
}

export function wholeNumberFrom(least: number, option: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < least) {
    throw new Error(`${option} must be a whole number from ${least}; it was "${text}".`);
  }
  return value;
}
