import { Fragment } from 'react';
import { Hint } from './Hint';
import { fullTime, minuteTime } from './instants';
import { pieces } from './sentence-parts';

interface Props {
  text: string;
  /** The resource that the text is about: its identifier is shown as its name. */
  resource?: { id: string; name: string };
}

/** A sentence of the service with names instead of identifiers, and times in the reader's zone; hovering tells what was written. */
export function Named({ text, resource }: Props) {
  return pieces(text, resource).map((piece, index) => {
    if (piece.kind === 'text') return <Fragment key={index}>{piece.text}</Fragment>;
    const [shown, hidden] =
      piece.kind === 'name'
        ? [piece.name, piece.text]
        : [minuteTime(piece.text), fullTime(piece.text)];
    return (
      <Hint key={index} label={hidden}>
        <span tabIndex={0} style={{ textDecoration: 'underline dotted', textUnderlineOffset: 3 }}>
          {shown}
        </span>
      </Hint>
    );
  });
}
