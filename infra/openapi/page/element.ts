/** The element of the page with this id, which must be there. */
export function element(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) {
    throw new Error(`The page has no #${id}.`);
  }
  return found;
}
