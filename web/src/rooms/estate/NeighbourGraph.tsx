import { useNavigate } from '@tanstack/react-router';
import type { KeyboardEvent, MouseEvent } from 'react';
import type { components } from '../../api/schema';
import { words } from '../../display/wording';
import classes from './NeighbourGraph.module.css';

type Relation = components['schemas']['RelationBody'];

/** Neighbours drawn on each side; the list beside the graph has all of them. */
const SHOWN = 6;
const ROW = 58;
const BOX = { width: 222, height: 44 };
const WIDTH = 740;
const LETTERS = 29;
const NOTE_LETTERS = 36;

interface Props {
  /** Name of the resource in the middle. */
  name: string;
  kind: string;
  relations: Relation[];
}

/** The neighbours of a resource: those that point to it on the left, those that it points to on the right. */
export function NeighbourGraph({ name, kind, relations }: Props) {
  const incoming = relations.filter(({ direction }) => direction === 'incoming');
  const outgoing = relations.filter(({ direction }) => direction === 'outgoing');
  const rows = Math.max(Math.min(incoming.length, SHOWN), Math.min(outgoing.length, SHOWN), 1);
  const height = rows * ROW + 10;
  const middle = { x: (WIDTH - BOX.width) / 2, y: (height - BOX.height) / 2 };
  return (
    <div className={classes.scroll} role="region" aria-label="Scrollable graph" tabIndex={0}>
      <svg
        className={classes.graph}
        viewBox={`0 0 ${WIDTH} ${height}`}
        role="group"
        aria-label={`Neighbours of ${name}: ${incoming.length} incoming, ${outgoing.length} outgoing`}
      >
        <defs>
          <marker
            id="neighbour-arrow"
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="7"
            markerHeight="7"
            orient="auto"
          >
            <path d="M0 0 8 4 0 8z" className={classes.arrow} />
          </marker>
        </defs>
        <Side of={incoming} x={0} height={height} middle={middle} />
        <Side of={outgoing} x={WIDTH - BOX.width} height={height} middle={middle} />
        <g aria-hidden>
          <rect
            x={middle.x}
            y={middle.y}
            width={BOX.width}
            height={BOX.height}
            rx={8}
            className={classes.self}
          />
          <Words x={middle.x} y={middle.y} name={name} note={words(kind)} />
        </g>
      </svg>
    </div>
  );
}

function Side({
  of: all,
  x,
  height,
  middle,
}: {
  of: Relation[];
  x: number;
  height: number;
  middle: { x: number; y: number };
}) {
  const shown = all.slice(0, all.length > SHOWN ? SHOWN - 1 : SHOWN);
  const places = shown.length + (all.length > shown.length ? 1 : 0);
  const top = (height - places * ROW) / 2 + (ROW - BOX.height) / 2;
  const center = middle.y + BOX.height / 2;
  return (
    <>
      {shown.map((relation, index) => {
        const y = top + index * ROW;
        const incoming = relation.direction === 'incoming';
        const edge = incoming
          ? { from: [x + BOX.width, y + BOX.height / 2], to: [middle.x, center] }
          : { from: [middle.x + BOX.width, center], to: [x, y + BOX.height / 2] };
        return (
          <g key={`${relation.relation} ${relation.id}`}>
            <Edge from={edge.from} to={edge.to} />
            <Neighbour relation={relation} x={x} y={y} />
          </g>
        );
      })}
      {all.length > shown.length && (
        <text
          x={x + BOX.width / 2}
          y={top + shown.length * ROW + BOX.height / 2}
          className={classes.more}
        >{`and ${all.length - shown.length} more in the list`}</text>
      )}
    </>
  );
}

function Edge({ from, to }: { from: number[]; to: number[] }) {
  const [x1 = 0, y1 = 0] = from;
  const [x2 = 0, y2 = 0] = to;
  const bend = (x1 + x2) / 2;
  return (
    <path
      d={`M${x1} ${y1}C${bend} ${y1} ${bend} ${y2} ${x2} ${y2}`}
      className={classes.edge}
      markerEnd="url(#neighbour-arrow)"
      aria-hidden
    />
  );
}

/** A neighbour; a link to its page if Reeve knows the resource. */
function Neighbour({ relation, x, y }: { relation: Relation; x: number; y: number }) {
  const navigate = useNavigate();
  const label = relation.name || relation.id;
  const verb = words(relation.relation).toLowerCase();
  const note = relation.type ? `${verb} · ${words(relation.type).toLowerCase()}` : verb;
  const spoken = `${label} ${note}, ${relation.direction}`;
  const box = (
    <>
      <title>{relation.id}</title>
      <rect
        x={x}
        y={y}
        width={BOX.width}
        height={BOX.height}
        rx={8}
        className={relation.name === undefined ? classes.unknown : classes.box}
      />
      <Words x={x} y={y} name={label} note={note} />
    </>
  );
  if (relation.name == null)
    return (
      <g role="img" aria-label={`${spoken}; Reeve does not know this resource`}>
        {box}
      </g>
    );
  const href = `/estate/resources/${encodeURIComponent(relation.id)}`;
  const open = (event: MouseEvent | KeyboardEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    void navigate({ to: '/estate/resources/$id', params: { id: relation.id } });
  };
  return (
    <a href={href} className={classes.link} aria-label={spoken} onClick={open}>
      {box}
    </a>
  );
}

function Words({ x, y, name, note }: { x: number; y: number; name: string; note: string }) {
  return (
    <>
      <text x={x + 12} y={y + 18} className={classes.name}>{`${cut(name, LETTERS)} `}</text>
      <text x={x + 12} y={y + 34} className={classes.note}>
        {cut(note, NOTE_LETTERS)}
      </text>
    </>
  );
}

/** Identifiers differ at their ends: the middle is left out. */
function cut(text: string, most: number) {
  return text.length <= most ? text : `${text.slice(0, most - 12)}…${text.slice(-11)}`;
}
