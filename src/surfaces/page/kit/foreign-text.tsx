/** A text that others wrote: line breaks stay, and no invisible character acts or hides in it. Long texts are folded. */
import { type ReactNode, useState } from "react";
import { visible } from "../../../core/visible.ts";
import { useItemTab } from "./long-list.tsx";

interface ForeignTextProps {
  readonly text: string;
  /** More characters are folded. */
  readonly most?: number;
}

const MOST_CHARACTERS = 4000;

export function ForeignText({ text, most = MOST_CHARACTERS }: ForeignTextProps): ReactNode {
  const [isWhole, setWhole] = useState(false);
  const tabIndex = useItemTab();
  const shown = visible(text);
  const isFolded = !isWhole && shown.length > most;
  return (
    <div className="foreign-text">
      {isFolded ? `${shown.slice(0, most)}…` : shown}
      {isFolded && (
        <button type="button" className="link" tabIndex={tabIndex} onClick={() => setWhole(true)}>
          Show all {shown.length.toLocaleString("en")} characters
        </button>
      )}
    </div>
  );
}
