/** Lets others have their turn now and then during long work on many bytes. */
const BYTES_AT_A_STRETCH = 1024 * 1024;

export function breathing(): (bytes: number) => Promise<void> | undefined {
  let sofar = 0;
  return (bytes) => {
    sofar += bytes;
    if (sofar < BYTES_AT_A_STRETCH) return undefined;
    sofar = 0;
    return new Promise((resolve) => {
      setImmediate(resolve);
    });
  };
}
