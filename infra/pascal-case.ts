/** `move-contact`, or `contact_created`, as a construct's id or the name of a type: `MoveContact`. */
export function pascalCase(name: string): string {
  return name.replaceAll(/(?:^|[-_])(\w)/g, (_, letter: string) => letter.toUpperCase());
}
