/** What an operation answers, for a view that shows it. Asked again when its input changes, or when the view says so. */
import { useEffect, useState } from "react";
import type { PageAnswers, PageOperation } from "../../wire/page-answers.ts";
import { usePage } from "../page-context.ts";
import { type PlainInput, RefusedError } from "../source.ts";

export type Asking<Answer> =
  | { readonly kind: "asking"; readonly answer: Answer | null }
  | { readonly kind: "answered"; readonly answer: Answer }
  | { readonly kind: "failed"; readonly answer: Answer | null; readonly words: string };

/**
 * `input` null: nothing is asked. `version` is what the answer depends on besides its input, such as the newest event
 * that concerns it. While it is asked again, the former answer stays.
 */
export function useAnswer<Name extends PageOperation>(
  name: Name,
  input: PlainInput | null,
  version: string | number = 0,
): Asking<PageAnswers[Name]> {
  const { source } = usePage();
  const [asking, setAsking] = useState<Asking<PageAnswers[Name]>>({ kind: "asking", answer: null });
  const key = input === null ? null : JSON.stringify(input);
  const [keyBefore, setKeyBefore] = useState(key);
  // Another input: what was answered to the former one is not true of it.
  if (key !== keyBefore) {
    setKeyBefore(key);
    setAsking({ kind: "asking", answer: null });
  }
  useEffect(() => {
    if (key === null) return undefined;
    let isOver = false;
    source.ask(name, JSON.parse(key) as PlainInput).then(
      (answer) => isOver || setAsking({ kind: "answered", answer }),
      (error: unknown) => isOver || setAsking((before) => ({ ...before, kind: "failed", words: wordsOfError(error) })),
    );
    return () => {
      isOver = true;
    };
  }, [source, name, key, version]);
  return asking;
}

export function wordsOfError(error: unknown): string {
  if (error instanceof RefusedError) return `${error.message} ${error.next}`.trim();
  return error instanceof Error ? error.message : String(error);
}
