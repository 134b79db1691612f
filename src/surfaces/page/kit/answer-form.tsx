/** Answers a question in place. What was typed stays until the answer has been sent. */
import { type FormEvent, type ReactNode, useState } from "react";
import type { EventId, RoomId } from "../../../core/ids.ts";
import { freshName } from "../browser.ts";
import { usePage } from "../page-context.ts";
import { sendOnKeys } from "./send-keys.ts";

interface AnswerFormProps {
  readonly roomId: RoomId;
  readonly messageId: EventId;
  /** Who is answered. */
  readonly name: string;
  readonly onDone?: () => void;
}

export function AnswerForm({ roomId, messageId, name, onDone }: AnswerFormProps): ReactNode {
  const { run, tell } = usePage();
  const [body, setBody] = useState("");
  const [isSending, setSending] = useState(false);
  // A repeated send of the same answer is one message.
  const [msgId] = useState(freshName);

  const send = async () => {
    if (body.trim() === "" || isSending) return;
    setSending(true);
    const sent = await run("reply_to_message", { room_id: roomId, message_id: messageId, body, msg_id: msgId });
    setSending(false);
    if (sent === null) return;
    setBody("");
    tell(`${name} was answered.`);
    onDone?.();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void send();
  };
  return (
    <form className="answer-form" onSubmit={submit}>
      <textarea
        className="field"
        rows={1}
        value={body}
        aria-label={`Your answer to ${name}`}
        placeholder={`Your answer to ${name}`}
        onChange={(event) => setBody(event.target.value)}
        onKeyDown={sendOnKeys(send)}
      />
      <button type="submit" className="button primary" disabled={isSending || body.trim() === ""}>
        {isSending ? "Sending …" : "Answer"}
      </button>
    </form>
  );
}
