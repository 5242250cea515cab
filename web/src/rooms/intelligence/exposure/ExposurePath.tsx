import { Text } from '@mantine/core';
import { IconArrowDown, IconCheck, IconTarget, IconWorld } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './ExposurePath.module.css';
import { edge } from './outsiders';
import type { ExposureStep } from './queries';

interface Props {
  label: string;
  /** Where the path begins: an outsider, or a principal. */
  from: string;
  path: ExposureStep[];
  stop: ExposureStep | null | undefined;
  /** What is reached where nothing stops. */
  to: string;
  note?: string;
}

/** A way edge by edge, to what is reached or to the edge that stops it. */
export function ExposurePath({ label, from, path, stop, to, note }: Props) {
  return (
    <ol className={classes.path} aria-label={label}>
      <Node icon={<IconWorld size={14} />} title={from} />
      {path.map((step, at) => (
        <Edge key={at} of={step} icon={<IconArrowDown size={14} />} />
      ))}
      {stop ? (
        <Edge of={stop} icon={<IconCheck size={14} />} className={classes.stops} stops />
      ) : (
        <Node icon={<IconTarget size={14} />} title={to} note={note} className={classes.exposed} />
      )}
    </ol>
  );
}

interface NodeProps {
  icon: ReactNode;
  title: ReactNode;
  note?: ReactNode;
  className?: string;
}

function Node({ icon, title, note, className }: NodeProps) {
  return (
    <li className={[classes.step, className].filter(Boolean).join(' ')}>
      <span className={classes.node} aria-hidden>
        {icon}
      </span>
      <Text size="sm" fw={550} style={{ overflowWrap: 'anywhere' }}>
        {title}
      </Text>
      {note && (
        <Text size="sm" className="muted" style={{ overflowWrap: 'anywhere' }}>
          {note}
        </Text>
      )}
    </li>
  );
}

function Edge(props: { of: ExposureStep; icon: ReactNode; className?: string; stops?: boolean }) {
  const { of: step, icon, className, stops } = props;
  const title = [stops && 'Stopped by', edge(step.edge), step.resource].filter(Boolean).join(' ');
  return <Node icon={icon} title={title} note={step.says} className={className} />;
}
