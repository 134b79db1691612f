/** What an operation answers, for a view that shows it. Asked again when its input changes, or when the view says so. */
import { useEffect, useState } from "react";
import type { PageAnswers, PageOperation } from "../../wire/page-answers.ts";
import { usePage } from "../page-context.ts";
import { isInPast } from "../page-state.ts";
import { type PlainInput, RefusedError } from "../source.ts";

export type Asking<Answer> =
  | { readonly kind: "asking"; readonly answer: Answer | null }
  | { readonly kind: "answered"; readonly answer: Answer }
  | { readonly kind: "failed"; readonly answer: Answer | null; readonly words: string };

/**
 * What an answer depends on in every view: it is asked for again after a cut, and when the slider of a recording comes to
 * the end or leaves it. Null while the page is cut off: then nothing is asked.
 */
export function useConnection(): "live" | "past" | "end" | null {
  const { state } = usePage();
  const { kind } = state.link;
  if (kind === "behind") return null;
  return kind === "recorded" ? (isInPast(state) ? "past" : "end") : "live";
}

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
  const connection = useConnection();
  const [asking, setAsking] = useState<Asking<PageAnswers[Name]>>({ kind: "asking", answer: null });
  const key = input === null ? null : JSON.stringify(input);
  const [keyBefore, setKeyBefore] = useState(key);
  // Another input: what was answered to the former one is not true of it.
  if (key !== keyBefore) {
    setKeyBefore(key);
    setAsking({ kind: "asking", answer: null });
  }
  useEffect(() => {
    if (key === null || connection === null) return undefined;
    let isOver = false;
    source.ask(name, JSON.parse(key) as PlainInput).then(
      (answer) => isOver || setAsking({ kind: "answered", answer }),
      (error: unknown) => isOver || setAsking((before) => failure(before, error, connection !== "live")),
    );
    return () => {
      isOver = true;
    };
  }, [source, name, key, version, connection]);
  return asking;
}

/** What was answered for another moment of a recording is not true of this one. */
function failure<Answer>({ answer }: Asking<Answer>, error: unknown, isRecorded: boolean): Asking<Answer> {
  return { kind: "failed", answer: isRecorded ? null : answer, words: wordsOfError(error) };
}

export function wordsOfError(error: unknown): string {
  if (error instanceof RefusedError) return `${error.message} ${error.next}`.trim();
  return error instanceof Error ? error.message : String(error);
}
