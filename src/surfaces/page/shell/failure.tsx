/** A view that fails takes down itself alone, and says so. */
import { Component, type ReactNode } from "react";
import { visible } from "../../../core/visible.ts";

interface FailureProps {
  readonly children: ReactNode;
}

export class Failure extends Component<FailureProps, { readonly error: Error | null }> {
  override state: { readonly error: Error | null } = { error: null };

  static getDerivedStateFromError(error: unknown) {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <div className="empty" role="alert">
        <p>This part of the page has failed: {visible(error.message)}</p>
        <p>
          The room itself is not affected.{" "}
          <button type="button" className="link" onClick={() => this.setState({ error: null })}>
            Try again
          </button>
        </p>
      </div>
    );
  }
}
