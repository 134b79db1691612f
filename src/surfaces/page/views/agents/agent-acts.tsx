/** What a person may do to an agent: write to it, give it the stick or take it away, remove it. */
import { type ReactNode, useState } from "react";
import type { AgentId } from "../../../../core/ids.ts";
import { LIMITS } from "../../../../core/limits.ts";
import { give, kick, reservedForOther, type StepIn, take } from "../../../picture/step-in.ts";
import { ActButton } from "../../kit/act-button.tsx";
import { useDraft } from "../../kit/use-draft.ts";
import { type RoomView, usePage } from "../../page-context.ts";

interface AgentActsProps {
  readonly room: RoomView;
  readonly agentId: AgentId;
  /** Its process is proven gone: it cannot use the stick. */
  readonly isGone: boolean;
}

export function AgentActs({ room, agentId, isGone }: AgentActsProps): ReactNode {
  const { goTo, stepIn, tell } = usePage();
  const { picture, nameOf } = room;
  const [reason, setReason] = useDraft(`reason ${picture.roomId} ${agentId}`);
  const [isActing, setActing] = useState(false);
  const called = nameOf(agentId);
  const holds = picture.now.holder?.agentId === agentId;
  const isReserved = reservedForOther(picture) === agentId;

  const act = async (plan: StepIn, done: string) => {
    setActing(true);
    const isDone = await stepIn(room, plan);
    setActing(false);
    if (!isDone) return;
    setReason("");
    tell(done);
  };
  const why = reason.trim();
  return (
    <section className="agents-acts" aria-label="What you can do">
      <button type="button" className="button primary" onClick={() => goTo({ view: "talk", item: `to:${agentId}` })}>
        Write to {called}
      </button>
      {!holds && !isGone && (
        <ActButton
          isActing={isActing}
          onAct={() => void act(give(picture, agentId, why), `The stick is reserved for ${called}.`)}
        >
          Give {called} the stick
        </ActButton>
      )}
      {(holds || isReserved) && (
        <ActButton isActing={isActing} onAct={() => void act(take(picture, why), "The stick is yours.")}>
          {holds ? `Take the stick from ${called}` : `Take the stick that is reserved for ${called}`}
        </ActButton>
      )}
      <ActButton
        className="button danger"
        isActing={isActing}
        onAct={() => void act(kick(picture, agentId, why, true), `${called} was removed from the room.`)}
      >
        Remove {called} from the room
      </ActButton>
      <label className="label agents-reason">
        Reason, if you want to give one
        <input
          className="field"
          value={reason}
          maxLength={LIMITS.reasonCharacters}
          onChange={(event) => setReason(event.target.value)}
        />
      </label>
    </section>
  );
}
