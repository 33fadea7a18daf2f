/** `MoveContact` for `move-contact` or `move_contact`: the id of a construct, or the name of a type. */
export function pascalCase(name: string): string {
  return name.replaceAll(/(?:^|[-_])(\w)/g, (_, letter: string) => letter.toUpperCase());
}
