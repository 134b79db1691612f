/** A command that a person may type in a terminal, with a button that copies it. */
import { type ReactNode, useState } from "react";
import { oneLine } from "../../../core/visible.ts";

export function CommandLine({ words }: { readonly words: string }): ReactNode {
  const [isCopied, setCopied] = useState(false);
  const copy = () => {
    navigator.clipboard.writeText(words).then(
      () => setCopied(true),
      // A page from a file may not copy. The words stand beside the button.
      () => setCopied(false),
    );
  };
  return (
    <span className="command">
      <code>{oneLine(words)}</code>
      <button
        type="button"
        className="link"
        onClick={copy}
        aria-label={`${isCopied ? "Copied" : "Copy"} ${oneLine(words)}`}
      >
        {isCopied ? "Copied" : "Copy"}
      </button>
    </span>
  );
}
