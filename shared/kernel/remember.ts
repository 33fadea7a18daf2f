/** Sets a key of what a warm process remembers; of more than `capacity` keys, the one set longest ago is forgotten. */
export function remember<Key, Value>(
  memory: Map<Key, Value>,
  key: Key,
  value: Value,
  capacity: number,
): void {
  memory.delete(key);
  memory.set(key, value);
  const oldest = memory.keys().next();
  if (memory.size > capacity && !oldest.done) {
    memory.delete(oldest.value);
  }
}
