/**
 * The question that comes before an act which weakens an agent that is alive. It is dropped when what it says is no longer
 * true.
 */
import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { visible } from "../../../core/visible.ts";
import type { RoomPicture } from "../../../peers/rules/picture.ts";
import { isOutdated, NO_LONGER_TRUE, type StepInQuestion } from "../../picture/step-in.ts";
import type { PageTools } from "../page-context.ts";

interface OpenQuestion {
  readonly asked: StepInQuestion;
  readonly answered: (yes: boolean) => void;
}

export function useQuestion(pictures: readonly RoomPicture[], tell: PageTools["tell"]) {
  const open = useRef<OpenQuestion | null>(null);
  const [question, setQuestion] = useState<StepInQuestion | null>(null);
  const answer = useCallback((yes: boolean) => {
    open.current?.answered(yes);
    open.current = null;
    setQuestion(null);
  }, []);
  const ask = useCallback(
    (asked: StepInQuestion) =>
      new Promise<boolean>((answered) => {
        answer(false);
        open.current = { asked, answered };
        setQuestion(asked);
      }),
    [answer],
  );
  const isOld = isOutdated(question, pictures);
  useEffect(() => {
    if (!isOld) return;
    answer(false);
    tell(NO_LONGER_TRUE, "error");
  }, [isOld, answer, tell]);
  return { question, ask, answer };
}

interface QuestionDialogProps {
  readonly question: StepInQuestion | null;
  readonly answer: (yes: boolean) => void;
}

const YES = "yes";

/** It stays in the document, since only a dialog that is closed, not one that is removed, gives the focus back. */
export function QuestionDialog({ question, answer }: QuestionDialogProps): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const { current } = dialog;
    if (current === null) return;
    if (question === null) {
      current.close();
      return;
    }
    current.returnValue = "";
    current.showModal();
  }, [question]);
  const closed = () => {
    const { current } = dialog;
    // The event comes late: meanwhile another question may have been asked.
    if (current !== null && !current.open) answer(current.returnValue === YES);
  };
  return (
    <dialog ref={dialog} className="dialog" aria-labelledby="question-words" onClose={closed}>
      <p id="question-words" className="foreign-text">
        {visible(question?.words ?? "")}
      </p>
      <div className="row dialog-buttons">
        <button type="button" className="button" autoFocus onClick={() => dialog.current?.close()}>
          No, do nothing
        </button>
        <button type="button" className="button danger" onClick={() => dialog.current?.close(YES)}>
          Yes, do it
        </button>
      </div>
    </dialog>
  );
}
