/** What chat and watch have in common when they open. */
import type { Key, KeyReader } from "./keys.ts";

/** Presses the keys in what the terminal sends, and draws once after them. */
export function readingKeys(reader: KeyReader, press: (key: Key) => void, draw: () => void): (chunk: string) => void {
  const pressAll = (keys: readonly Key[]) => {
    for (const key of keys) press(key);
    draw();
  };
  let timer: NodeJS.Timeout | undefined;
  return (chunk) => {
    clearTimeout(timer);
    pressAll(reader.push(chunk));
    const { patienceMs } = reader;
    if (patienceMs !== null) timer = setTimeout(() => pressAll(reader.giveUp()), patienceMs).unref();
  };
}
