/** Whether two values differ at most in the fields named. Values are immutable, so what is the same object is the same. */
export function isSameBut<T extends object>(fields: readonly (keyof T)[], a: T, b: T): boolean {
  const keys = Object.keys(b) as (keyof T)[];
  return Object.keys(a).length === keys.length && keys.every((key) => a[key] === b[key] || fields.includes(key));
}
