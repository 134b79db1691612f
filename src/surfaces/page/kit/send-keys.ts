import type { KeyboardEvent } from "react";

/** Ctrl and Enter sends, on a Mac also Cmd and Enter. Enter alone makes a line. */
export function sendOnKeys(send: () => Promise<void>): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    void send();
  };
}
