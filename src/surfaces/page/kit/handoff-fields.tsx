/** A handoff as its next holder reads it: every part of it, under its label. */
import type { ReactNode } from "react";
import type { Handoff } from "../../../core/handoff.ts";
import { handoffParts } from "../../picture/handoff-words.ts";
import { ForeignText } from "./foreign-text.tsx";

interface HandoffFieldsProps {
  readonly handoff: Handoff;
  /** Left out where the handoff is a part of the log. */
  readonly nowMs?: number;
}

export function HandoffFields({ handoff, nowMs }: HandoffFieldsProps): ReactNode {
  return (
    <dl className="handoff-fields">
      {handoffParts(handoff, nowMs).map(({ label, text }, index) => (
        // Parts never move, and two may be alike.
        // oxlint-disable-next-line react/no-array-index-key
        <div key={index} className="handoff-field">
          <dt className="muted small">{label}</dt>
          <dd>
            <ForeignText text={text} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
