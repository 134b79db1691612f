/** A place to write a note. What was typed stays until the note is kept. */
import { type FormEvent, type ReactNode, useRef, useState } from "react";
import { visible } from "../../../../core/visible.ts";
import { sendOnKeys } from "../../kit/send-keys.ts";
import { wordsOfError } from "../../kit/use-answer.ts";
import { useDraft } from "../../kit/use-draft.ts";
import { type RoomView, usePage } from "../../page-context.ts";

export function AddNote({ room }: { readonly room: RoomView }): ReactNode {
  const { source, tell } = usePage();
  const { roomId, now } = room.picture;
  const [body, setBody, sentBody] = useDraft(`note ${roomId}`);
  const [turn, setTurn] = useState("");
  const [isSending, setSending] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);

  const add = async () => {
    if (body.trim() === "" || isSending) return;
    setSending(true);
    setFailure(null);
    try {
      await source.ask("add_note", { room_id: roomId, body, ...(turn !== "" && { turn_id: Number(turn) }) });
      sentBody(body);
      setTurn("");
      tell("The note is kept.");
    } catch (error) {
      setFailure(wordsOfError(error));
    }
    setSending(false);
  };
  const submitted = (event: FormEvent) => {
    event.preventDefault();
    void add();
    field.current?.focus();
  };
  return (
    <form className="notes-add" onSubmit={submitted} aria-label="Add a note">
      {failure !== null && (
        <p className="notice tone-bad" role="alert">
          {visible(failure)}
        </p>
      )}
      <textarea
        ref={field}
        className="field"
        rows={2}
        value={body}
        aria-label="New note"
        placeholder="A decision, a finding, a warning"
        onChange={(event) => setBody(event.target.value)}
        onKeyDown={sendOnKeys(add)}
      />
      <div className="row">
        <label className="notes-turn small muted">
          About turn
          <input
            type="number"
            className="field"
            min={0}
            max={now.turnId}
            value={turn}
            placeholder="none"
            onChange={(event) => setTurn(event.target.value)}
          />
        </label>
        <button type="submit" className="button primary" disabled={isSending || body.trim() === ""}>
          {isSending ? "Adding …" : "Add the note"}
        </button>
        <span className="small muted">Ctrl+Enter adds it. Every member can read it.</span>
      </div>
    </form>
  );
}
