/** Who gets the stick, and why. */
import { type FormEvent, type KeyboardEvent, type ReactNode, useState } from "react";
import { type AgentId, asAgentId } from "../../../core/ids.ts";
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
  const [to, setTo] = useState<AgentId | null>(there[0]?.agentId ?? null);
  const [reason, setReason] = useState("");
  const chosen = to ?? there[0]?.agentId ?? null;
  // The choice stays, so that no other agent takes its place unseen.
  const hasLeft = !there.some(({ agentId }) => agentId === chosen);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (chosen === null) return;
    if (hasLeft) {
      tell(`${nameOf(chosen)} cannot get the stick any more. Choose another one.`, "error");
      return;
    }
    if (!(await stepIn(room, give(picture, chosen, reason.trim())))) return;
    tell(`The stick is reserved for ${nameOf(chosen)}.`);
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
        <select
          className="field"
          autoFocus
          value={chosen ?? ""}
          onChange={(event) => setTo(asAgentId(event.target.value))}
        >
          {chosen !== null && hasLeft && <option value={chosen}>{nameOf(chosen)} (cannot get it)</option>}
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
