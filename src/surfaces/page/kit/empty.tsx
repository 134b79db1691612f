/** What a view says when it has nothing to show, cannot show it, or still waits for it. */
import type { ReactNode } from "react";
import { visible } from "../../../core/visible.ts";
import type { Asking } from "./use-answer.ts";

export function Empty({ children }: { readonly children: ReactNode }): ReactNode {
  return <div className="empty">{children}</div>;
}

/** Says that an answer is on its way, or why there is none. Nothing while there is one. */
export function AskingState({ asking, what }: { readonly asking: Asking<unknown>; readonly what: string }): ReactNode {
  if (asking.kind === "failed") return <p className="notice tone-bad">{visible(asking.words)}</p>;
  return asking.answer === null ? <Empty>Loading {what} …</Empty> : null;
}
