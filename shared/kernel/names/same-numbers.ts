/**
 * The one form of a number (E.164), or of an address that ends with one, that stands for both of its notations: Mexican numbers with and
 * without the 1 that callers dialed before 2019, and Brazilian mobile numbers with and without their ninth digit. Two numbers are the
 * same if their forms are. Source: decisions 6, "Phone numbers".
 */
export function sameNumberForm(address: string): string {
  return address.replace(/(?<=\+52)1(?=[2-9]\d{9}$)/, '').replace(/(?<=\+55[1-9]{2})(?=[6-9]\d{7}$)/, '9');
}
