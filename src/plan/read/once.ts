/**
 * What `make` gives for an object, made at the first call and kept as long as the object is. Documents do not change
 * once they are read, so what is looked up per item is worked out once per document.
 */
export function once<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, { value: Value }>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found.value;
    const value = make(key);
    known.set(key, { value });
    return value;
  };
}
