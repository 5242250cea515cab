import { Text, Title } from '@mantine/core';
import { useId, type ReactNode } from 'react';

interface Props {
  title?: ReactNode;
  note?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  flush?: boolean;
}

/** A bordered area with a heading. `flush` lets a table touch the border. */
export function Panel({ title, note, actions, children, flush }: Props) {
  const id = useId();
  return (
    <section
      className={flush ? 'panel panel-flush' : 'panel'}
      aria-labelledby={title ? id : undefined}
      style={{ minWidth: 0 }}
    >
      {title && (
        <div className="panel-head">
          <div style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
            <Title order={2} size="h3" id={id}>
              {title}
            </Title>
            {note && (
              <Text size="xs" className="muted">
                {note}
              </Text>
            )}
          </div>
          {actions}
        </div>
      )}
      <div
        className={flush ? undefined : 'panel-body'}
        style={flush ? { paddingTop: 10 } : undefined}
      >
        {children}
      </div>
    </section>
  );
}
