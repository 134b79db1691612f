/** Computes once for each object and keeps the result. The objects must not change. */
export function memoize<Key extends object, Value extends object>(compute: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, Value>();
  return (key) => {
    const before = known.get(key);
    if (before) return before;
    const value = compute(key);
    known.set(key, value);
    return value;
  };
}
