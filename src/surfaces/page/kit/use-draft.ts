/** What a person has typed and not sent. It is still there after a look at another view. */
import { useState } from "react";

const drafts = new Map<string, string>();

/** `name`: what it is written for. A component that is drawn for another one needs another key. */
export function useDraft(name: string): readonly [text: string, change: (text: string) => void] {
  const [text, setText] = useState(() => drafts.get(name) ?? "");
  const change = (next: string) => {
    if (next === "") drafts.delete(name);
    else drafts.set(name, next);
    setText(next);
  };
  return [text, change];
}
