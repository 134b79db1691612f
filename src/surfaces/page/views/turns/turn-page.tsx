/** One turn: what is known of it, and its changes file by file. */
import { type KeyboardEvent, type ReactNode, useMemo, useState } from "react";
import { oneLine, visible } from "../../../../core/visible.ts";
import type { PageAnswers } from "../../../wire/page-answers.ts";
import { CommandLine } from "../../kit/command-line.tsx";
import { AskingState } from "../../kit/empty.tsx";
import { type Asking, useAnswer } from "../../kit/use-answer.ts";
import { type RoomView, usePage } from "../../page-context.ts";
import { FileFacts } from "./diff-line.tsx";
import { DiffView } from "./diff-view.tsx";
import { type PatchFile, patchFiles } from "./patch-files.ts";
import { TurnFacts } from "./turn-facts.tsx";
import { foreignWritesIn, type TurnRow } from "./turn-rows.ts";

interface TurnPageProps {
  readonly room: RoomView;
  readonly turn: TurnRow;
}

const NO_FILES: readonly PatchFile[] = [];

export function TurnPage({ room, turn }: TurnPageProps): ReactNode {
  const { goTo, state } = usePage();
  const { turnId } = turn;
  const { events } = room.open.log;
  const isRecorded = state.link.kind === "recorded";
  const [looks, setLooks] = useState(0);
  const input = { room_id: room.picture.roomId, turn_id: turnId };
  const version = `${turn.lastSeq} ${looks}`;
  // The messages of a turn are those of the moment that a recording shows.
  const moment = isRecorded ? events.length : "";
  const showing = useAnswer("show_turn", input, `${version} ${turn.checks.length} ${moment}`);
  const diffing = useAnswer("diff_turn", input, version);
  const patch = diffing.answer;
  const files = useMemo(
    () => (patch === null ? NO_FILES : patchFiles(patch.patch, patch.cut || patch.missing)),
    [patch],
  );
  const foreignWrites = useMemo(() => foreignWritesIn(events, turnId), [events, turnId]);
  const close = () => goTo({ item: null });
  const pressed = (event: KeyboardEvent) => {
    if (event.key === "Escape" && !event.defaultPrevented) close();
  };
  return (
    <section className="turns-page" aria-label={`Turn ${turnId}`} onKeyDown={pressed}>
      <DiffView
        key={turnId}
        label={`Turn ${turnId} and its changes`}
        title={
          <div className="row turns-title">
            <button type="button" className="button turns-back" onClick={close}>
              All turns
            </button>
            <h2>Turn {turnId}</h2>
          </div>
        }
        files={files}
        before={(showFile) => (
          <div className="stack turns-before">
            <TurnFacts room={room} turn={turn} shown={showing.answer} foreignWrites={foreignWrites} />
            {showing.kind === "failed" && <AskingState asking={showing} what="the turn" />}
            <div>
              <div className="row">
                <h3>Changes</h3>
                {files.length > 0 && <ChangesSum files={files} />}
                {turn.endedAt === null && patch !== null && !isRecorded && (
                  <button type="button" className="link" onClick={() => setLooks(looks + 1)}>
                    Look again
                  </button>
                )}
              </div>
              <Changes diffing={diffing} files={files} turnId={turnId} onFile={showFile} />
            </div>
          </div>
        )}
      />
    </section>
  );
}

interface ChangesProps {
  readonly diffing: Asking<PageAnswers["diff_turn"]>;
  readonly files: readonly PatchFile[];
  readonly turnId: number;
  readonly onFile: (fileIndex: number) => void;
}

function ChangesSum({ files }: Pick<ChangesProps, "files">): ReactNode {
  const sum = (key: "added" | "removed") => files.reduce((total, file) => total + file[key], 0);
  return (
    <span className="small">
      {files.length} {files.length === 1 ? "file" : "files"}, <span className="turns-plus">+{sum("added")}</span>{" "}
      <span className="turns-minus">−{sum("removed")}</span>
    </span>
  );
}

const MOST_NAMED = 40;

/** The files by name, and what must be known about the patch that follows. */
function Changes({ diffing, files, turnId, onFile }: ChangesProps): ReactNode {
  const patch = diffing.answer;
  const named = files.slice(0, MOST_NAMED);
  return (
    <div className="stack">
      {diffing.kind === "failed" && <p className="notice">{visible(diffing.words)}</p>}
      {diffing.kind === "asking" && <AskingState asking={diffing} what="the changes" />}
      {patch !== null && files.length === 0 && <p className="muted">This turn changed no files.</p>}
      {named.length > 1 && (
        <ul className="turns-facts-list">
          {named.map((file, index) => (
            // One path may stand twice, as when a file became a link.
            // oxlint-disable-next-line react/no-array-index-key
            <li key={index} className="row">
              <button type="button" className="link" onClick={() => onFile(index)}>
                {oneLine(file.path)}
              </button>
              <FileFacts file={file} />
            </li>
          ))}
          {files.length > named.length && <li className="muted">and {files.length - named.length} more below</li>}
        </ul>
      )}
      {patch?.cut && (
        <p className="notice tone-warn">
          The patch is longer than what is shown, and its end is missing. See a file that is missing here with{" "}
          <CommandLine words={`tt turn diff ${turnId} -- PATH`} />
        </p>
      )}
      {patch?.missing && (
        <p className="notice tone-warn">The patch ends early: the record has lost the content of one of its files.</p>
      )}
    </div>
  );
}
