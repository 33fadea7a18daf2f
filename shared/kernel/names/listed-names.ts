/** Names in a text that people read at a glance. */
const mostListed = 5;

export const listedNames = (names: readonly string[]): string =>
  [...names.slice(0, mostListed), ...(names.length > mostListed ? ['…'] : [])].join(', ');
