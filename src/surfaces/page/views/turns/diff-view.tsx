/** A patch as one long table, of which only what is in sight is in the document. What belongs before it scrolls with it. */
import { type KeyboardEvent, type ReactNode, type RefObject, useDeferredValue, useMemo, useRef, useState } from "react";
import { VList, type VListHandle } from "virtua";
import { DiffLine } from "./diff-line.tsx";
import { type DiffRow, diffRows, fileBeside, findInRows, foldedAtFirst } from "./diff-rows.ts";
import type { PatchFile } from "./patch-files.ts";

interface DiffViewProps {
  readonly label: string;
  readonly title: ReactNode;
  /** Stands before the first file. Gets the way to a file. */
  readonly before: (showFile: (fileIndex: number) => void) => ReactNode;
  readonly files: readonly PatchFile[];
}

const NONE: ReadonlySet<number> = new Set();
const ROW_PX = 21;

export function DiffView({ label, title, before, files }: DiffViewProps): ReactNode {
  const list = useRef<VListHandle>(null);
  const [folded, setFolded] = useState(() => foldedAtFirst(files));
  const [filesBefore, setFilesBefore] = useState(files);
  const [wanted, setWanted] = useState("");
  const [focused, setFocused] = useState<number | null>(null);
  const searched = useDeferredValue(wanted.trim());
  // A search looks into folded files, too.
  const rows = useMemo(() => diffRows(files, searched === "" ? folded : NONE), [files, folded, searched]);
  const found = useMemo(() => findInRows(rows, searched), [rows, searched]);
  const items = useMemo((): readonly (DiffRow | null)[] => [null, ...rows], [rows]);
  const { current, setCurrent, toFile, showFile, toFound } = useMoves(list, rows, found);
  if (files !== filesBefore) {
    setFilesBefore(files);
    setFolded(foldedAtFirst(files));
    setCurrent(null);
  }
  const fold = (fileIndex: number) => setFolded((now) => toggled(now, fileIndex));
  const pressed = (event: KeyboardEvent) => {
    const isTyped = event.target instanceof Element && event.target.closest("input, textarea, select") !== null;
    if (isTyped || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "n") toFile(1);
    if (event.key === "p") toFile(-1);
  };
  const currentIndex = current === null ? -1 : rows.findIndex(({ key }) => key === current);
  const isCurrent = (row: DiffRow) => row.key === current;
  return (
    <div className="turns-diff" onKeyDown={pressed}>
      <div className="view-head row turns-bar">
        {title}
        {files.length > 0 && (
          <>
            <FileButtons rows={rows} current={currentIndex} count={files.length} onMove={toFile} />
            <Finder wanted={wanted} onWanted={setWanted} found={found} current={currentIndex} onMove={toFound} />
          </>
        )}
      </div>
      <VList
        ref={list}
        role="group"
        aria-label={label}
        className="turns-table"
        tabIndex={0}
        data={items}
        {...(focused !== null && focused < items.length && { keepMounted: [focused] })}
      >
        {(row, index) => (
          <div key={row?.key ?? "before"} onFocus={() => setFocused(index)}>
            {row === null ? (
              before(showFile)
            ) : (
              <DiffLine row={row} wanted={searched} isCurrent={isCurrent(row)} onFold={fold} />
            )}
          </div>
        )}
      </VList>
    </div>
  );
}

/** Jumps to files and to what was found. The row that it jumped to last is known by its key: folding moves rows. */
function useMoves(list: RefObject<VListHandle | null>, rows: readonly DiffRow[], found: readonly number[]) {
  const [current, setCurrent] = useState<string | null>(null);
  const jumped = useRef<{ readonly key: string; readonly offset: number } | null>(null);
  const indexOf = (key: string | null) => (key === null ? -1 : rows.findIndex((row) => row.key === key));
  const jump = (index: number | null | undefined, align: "start" | "center") => {
    const key = rows[index ?? -1]?.key;
    if (index === null || index === undefined || key === undefined) return;
    setCurrent(key);
    list.current?.scrollToIndex(index + 1, { align });
    jumped.current = null;
    // Rows that come into the document change the offset once more.
    afterFrames(() => {
      jumped.current = { key, offset: list.current?.scrollOffset ?? 0 };
    });
  };
  /** The row at the top; of several short files at the end, the one that the person has jumped to. */
  const rowInSight = () => {
    const offset = list.current?.scrollOffset ?? 0;
    const { key, offset: jumpedTo } = jumped.current ?? { key: null, offset };
    const index = Math.abs(jumpedTo - offset) < ROW_PX ? indexOf(key) : -1;
    return index === -1 ? (list.current?.findItemIndex(offset + 1) ?? 0) - 1 : index;
  };
  const toFile = (direction: 1 | -1) => jump(fileBeside(rows, rowInSight(), direction), "start");
  const showFile = (fileIndex: number) => {
    const isHead = (row: DiffRow) => row.kind === "file" && row.fileIndex === fileIndex;
    jump(rows.findIndex(isHead), "start");
  };
  const toFound = (direction: 1 | -1) => {
    const from = indexOf(current);
    const next = direction === 1 ? found.find((row) => row > from) : found.findLast((row) => row < from);
    jump(next ?? (direction === 1 ? found[0] : found.at(-1)), "center");
  };
  return { current, setCurrent, toFile, showFile, toFound };
}

function afterFrames(act: () => void): void {
  requestAnimationFrame(() => requestAnimationFrame(act));
}

function toggled(set: ReadonlySet<number>, one: number): ReadonlySet<number> {
  const next = new Set(set);
  if (!next.delete(one)) next.add(one);
  return next;
}

interface FileButtonsProps {
  readonly rows: readonly DiffRow[];
  /** -1: none. */
  readonly current: number;
  readonly count: number;
  readonly onMove: (direction: 1 | -1) => void;
}

function FileButtons({ rows, current, count, onMove }: FileButtonsProps): ReactNode {
  const at = rows[current]?.fileIndex;
  return (
    <div className="row turns-moves" role="group" aria-label="Files">
      <MoveButton name="Previous file" letter="p" sign="↑" onPress={() => onMove(-1)} />
      <MoveButton name="Next file" letter="n" sign="↓" onPress={() => onMove(1)} />
      <span className="small muted" aria-live="polite">
        {at === undefined ? `${count} ${count === 1 ? "file" : "files"}` : `file ${at + 1} of ${count}`}
      </span>
    </div>
  );
}

interface MoveButtonProps {
  readonly name: string;
  readonly letter: string;
  /** Stands for the name where there is no room for it. */
  readonly sign: string;
  readonly onPress: () => void;
}

function MoveButton({ name, letter, sign, onPress }: MoveButtonProps): ReactNode {
  return (
    <button type="button" className="button" aria-label={name} title={`${name}, key ${letter}`} onClick={onPress}>
      <span className="turns-move-name">{name}</span>
      <span className="turns-move-sign">{sign}</span>
    </button>
  );
}

interface FinderProps {
  readonly wanted: string;
  readonly onWanted: (wanted: string) => void;
  readonly found: readonly number[];
  /** -1: none. */
  readonly current: number;
  readonly onMove: (direction: 1 | -1) => void;
}

/** The browser's own search finds only what is in sight. */
function Finder({ wanted, onWanted, found, current, onMove }: FinderProps): ReactNode {
  const at = found.indexOf(current);
  const count = found.length === 0 ? "not found" : `${at === -1 ? "" : `${at + 1} of `}${found.length}`;
  const pressed = (event: KeyboardEvent) => {
    if (event.key === "Enter") onMove(event.shiftKey ? -1 : 1);
    else if (event.key === "Escape" && wanted !== "") onWanted("");
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className="row turns-finder">
      <input
        type="search"
        className="field"
        aria-label="Find in this diff"
        placeholder="Find in this diff"
        value={wanted}
        onChange={(event) => onWanted(event.target.value)}
        onKeyDown={pressed}
      />
      <span className="small muted" aria-live="polite">
        {wanted.trim() === "" ? "" : count}
      </span>
    </div>
  );
}
