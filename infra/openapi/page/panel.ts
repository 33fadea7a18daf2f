import { element } from './element.ts';

/** Adds a line to the list of what happens; the element can be changed later. */
export type Tell = (text: string) => HTMLElement;

/** Runs the action of a button of a panel, and shows in its list what happens, or why it fails. */
export function onClick(
  { button, list }: { readonly button: string; readonly list: string },
  tokenNow: () => string | undefined,
  act: (token: string, tell: Tell) => Promise<void>,
): void {
  const clicked = element(button) as HTMLButtonElement;
  const lines = element(list);
  const tell = (text: string) => {
    const line = document.createElement('li');
    line.textContent = text;
    lines.append(line);
    return line;
  };
  clicked.addEventListener('click', async () => {
    lines.replaceChildren();
    const token = tokenNow();
    if (token === undefined) {
      tell('Log in first.');
      return;
    }
    clicked.disabled = true;
    try {
      await act(token, tell);
    } catch (error) {
      tell((error as Error).message);
    } finally {
      clicked.disabled = false;
    }
  });
}
