const BYTES_AT_A_STRETCH = 1024 * 1024;

/**
 * For long work on many bytes. The caller says after each step how many bytes that was. Now and then the answer is a
 * promise to wait for, in which the event loop does other work.
 */
export function yieldNowAndThen(): (bytes: number) => Promise<void> | undefined {
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
