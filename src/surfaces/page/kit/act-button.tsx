/** A button for an act that takes time. While the act runs it ignores presses but keeps the focus, unlike a disabled one. */
import type { ReactNode } from "react";

interface ActButtonProps {
  readonly isActing: boolean;
  readonly onAct: () => void;
  readonly className?: string;
  readonly children: ReactNode;
}

export function ActButton({ isActing, onAct, className = "button", children }: ActButtonProps): ReactNode {
  return (
    <button
      type="button"
      className={className}
      aria-disabled={isActing}
      onClick={() => {
        if (!isActing) onAct();
      }}
    >
      {children}
    </button>
  );
}
