import { Text } from '@mantine/core';
import { IconArrowDown, IconCheck, IconTarget, IconWorld } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { words } from '../../../display/wording';
import classes from './ExposurePath.module.css';
import { edge, outsider } from './outsiders';
import type { Exposure, ExposureStep } from './queries';

/** The way from the outsider to the resource, edge by edge, or to the edge that stops it. */
export function ExposurePath({ of: one }: { of: Exposure }) {
  const stop = one.stopped_by;
  const from = stop ? 'Outside' : outsider(one.reachable_from);
  return (
    <ol className={classes.path} aria-label={`Path to ${one.resource_name}`}>
      <Node icon={<IconWorld size={14} />} title={from} />
      {one.path.map((step, at) => (
        <Edge key={at} of={step} icon={<IconArrowDown size={14} />} />
      ))}
      {stop ? (
        <Edge of={stop} icon={<IconCheck size={14} />} className={classes.stops} stops />
      ) : (
        <Node
          icon={<IconTarget size={14} />}
          title={one.resource_name}
          note={[words(one.kind), ...one.access].join(' · ')}
          className={classes.exposed}
        />
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
