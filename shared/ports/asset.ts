/** A text that was made when the bundle was built. */
export function provideAsset(text: string): () => string {
  return () => text;
}
