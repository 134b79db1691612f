/** The text of a field that counts later, when the person leaves the field. */
import { useState } from "react";

/** `placed`: what counts now. If that changes, it replaces what was typed. */
export function useTyped(placed: string): readonly [text: string, type: (text: string) => void] {
  const [typed, setTyped] = useState({ text: placed, placed });
  if (typed.placed !== placed) setTyped({ text: placed, placed });
  return [typed.placed === placed ? typed.text : placed, (text) => setTyped({ text, placed })];
}
