/** Who gets the stick, and why. */
import { type FormEvent, type KeyboardEvent, type ReactNode, useState } from "react";
import { give } from "../../picture/step-in.ts";
import { type RoomView, usePage } from "../page-context.ts";

interface GiveFormProps {
  readonly room: RoomView;
  readonly onDone: () => void;
}

export function GiveForm({ room, onDone }: GiveFormProps): ReactNode {
  const { stepIn, tell } = usePage();
  const { picture, nameOf } = room;
  const holder = picture.now.holder?.agentId;
  const there = picture.agents.filter(({ agentId }) => agentId !== holder);
  const [to, setTo] = useState<string>(there[0]?.agentId ?? "");
  const [reason, setReason] = useState("");

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const chosen = there.find(({ agentId }) => agentId === to) ?? there[0];
    if (chosen === undefined) return;
    if (!(await stepIn(room, give(picture, chosen.agentId, reason.trim())))) return;
    tell(`The stick is reserved for ${nameOf(chosen.agentId)}.`);
    onDone();
  };
  const pressed = (event: KeyboardEvent) => {
    if (event.key === "Escape") onDone();
  };
  if (there.length === 0) return <p className="notice">There is nobody here to give the stick to.</p>;
  return (
    <form className="give-form" onSubmit={(event) => void submit(event)} onKeyDown={pressed}>
      <label className="label">
        To
        <select className="field" autoFocus value={to} onChange={(event) => setTo(event.target.value)}>
          {there.map(({ agentId }) => (
            <option key={agentId} value={agentId}>
              {nameOf(agentId)}
            </option>
          ))}
        </select>
      </label>
      <label className="label grow">
        Why (both are told)
        <input className="field" value={reason} onChange={(event) => setReason(event.target.value)} />
      </label>
      <button type="submit" className="button primary">
        Give it
      </button>
      <button type="button" className="button" onClick={onDone}>
        Cancel
      </button>
    </form>
  );
}
