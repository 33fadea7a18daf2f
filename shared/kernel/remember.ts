/** Sets a key of a warm process's cache. Beyond `capacity` keys, the one that was set longest ago is removed. */
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
