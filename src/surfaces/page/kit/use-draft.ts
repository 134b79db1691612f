/** What a person has typed and not sent. It is still there after a look at another view. */
import { useState } from "react";

const drafts = new Map<string, string>();

type Draft = readonly [text: string, change: (text: string) => void, sent: (text: string) => void];

/**
 * `name`: what it is written for. A component that is drawn for another one needs another key. `sent` empties the draft,
 * unless the person has gone on typing while it was sent.
 */
export function useDraft(name: string): Draft {
  const [text, setText] = useState(() => drafts.get(name) ?? "");
  const change = (next: string) => {
    if (next === "") drafts.delete(name);
    else drafts.set(name, next);
    setText(next);
  };
  const sent = (whole: string) => {
    if (drafts.get(name) === whole) change("");
  };
  return [text, change, sent];
}
