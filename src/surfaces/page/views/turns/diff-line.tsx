/** One row of a patch. What was added or removed is said by a sign and in words, not by its colour alone. */
import type { ReactNode } from "react";
import { oneLine } from "../../../../core/visible.ts";
import { type DiffRow, shownLine, shownPart } from "./diff-rows.ts";
import type { PatchFile } from "./patch-files.ts";

interface DiffLineProps {
  readonly row: DiffRow;
  /** What the person looks for. */
  readonly wanted: string;
  /** Whether the person has jumped here. */
  readonly isCurrent: boolean;
  readonly onFold: (fileIndex: number) => void;
}

const SIGNS = { added: "+", removed: "−", same: "" } as const;

export function DiffLine({ row, wanted, isCurrent, onFold }: DiffLineProps): ReactNode {
  const current = isCurrent ? "turns-current" : "";
  switch (row.kind) {
    case "file":
      return <FileHeadRow row={row} className={current} onFold={onFold} />;
    case "hunk":
      return <div className="turns-hunk">{row.words}</div>;
    case "note":
      return <div className="turns-hunk">{row.text}</div>;
    case "plain":
      return (
        <div className={`turns-line ${current}`}>
          <code className="turns-text turns-plain">
            <LineText line={row.text} wanted={wanted} />
          </code>
        </div>
      );
    case "line": {
      const number = row.new ?? row.old;
      return (
        <div className={`turns-line turns-${row.sign} ${current}`}>
          <span className="turns-number" aria-hidden="true">
            {row.old}
          </span>
          <span className="turns-number" aria-hidden="true">
            {row.new}
          </span>
          <span className="turns-sign" aria-hidden="true">
            {SIGNS[row.sign]}
          </span>
          <code className="turns-text">
            <span className="visually-hidden">
              {row.sign === "same" ? `line ${number}: ` : `${row.sign} line ${number}: `}
            </span>
            <LineText line={row.text} wanted={wanted} />
          </code>
        </div>
      );
    }
  }
}

function LineText({ line, wanted }: { readonly line: string; readonly wanted: string }): ReactNode {
  const { text, before, after } = shownPart(line, wanted);
  return (
    <>
      {before > 0 && <span className="turns-cut">{before} characters before … </span>}
      {marked(shownLine(text), wanted)}
      {after > 0 && <span className="turns-cut"> … {after} more characters</span>}
    </>
  );
}

interface FileHeadRowProps {
  readonly row: Extract<DiffRow, { readonly kind: "file" }>;
  readonly className: string;
  readonly onFold: (fileIndex: number) => void;
}

function FileHeadRow({ row, className, onFold }: FileHeadRowProps): ReactNode {
  const { path, rows } = row.file;
  return (
    <div className={`turns-file ${className}`}>
      <h3 className="turns-file-title">
        <button
          type="button"
          className="turns-fold"
          aria-expanded={!row.isFolded}
          disabled={rows.length === 0}
          onClick={() => onFold(row.fileIndex)}
        >
          <span className="turns-fold-sign" aria-hidden="true">
            {rows.length === 0 ? "" : row.isFolded ? "▸" : "▾"}
          </span>
          <code className="turns-path">{oneLine(path)}</code>
        </button>
      </h3>
      <FileFacts file={row.file} />
    </div>
  );
}

/** What became of a file. A binary file, and one of which only the mode changed, have no lines to count. */
export function FileFacts({ file }: { readonly file: PatchFile }): ReactNode {
  const { what, added, removed, isPlain, rows } = file;
  return (
    <span className="turns-file-facts small">
      {what.length > 0 && <span className="muted">{what.map(oneLine).join(", ")}</span>}
      {!isPlain && rows.length > 0 && (
        <>
          <span className="turns-plus">+{added}</span> <span className="turns-minus">−{removed}</span>
        </>
      )}
      {isPlain && <span className="muted">cannot be read as a patch; its text is shown as it is</span>}
    </span>
  );
}

/** The places where the wanted text stands are marked. */
function marked(text: string, wanted: string): ReactNode {
  const lower = text.toLowerCase();
  const low = wanted.toLowerCase();
  // A few letters change their length with their case. Then the places are not known.
  if (low === "" || lower.length !== text.length || !lower.includes(low)) return text;
  const parts: ReactNode[] = [];
  let from = 0;
  for (let at = lower.indexOf(low); at !== -1; at = lower.indexOf(low, from)) {
    parts.push(text.slice(from, at), <mark key={at}>{text.slice(at, at + low.length)}</mark>);
    from = at + low.length;
  }
  return [...parts, text.slice(from)];
}
