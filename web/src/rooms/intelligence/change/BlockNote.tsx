import { Alert, Anchor, Text } from '@mantine/core';
import { IconShieldX } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { Block } from '../../../api/problem';
import { guardrailPlace } from './policy';

/** A block: which guardrail, its limit and the value, and where the limit is set. */
export function BlockWords({ of: { guardrail, message } }: { of: Block }) {
  const { name, to } = guardrailPlace(guardrail);
  return (
    <>
      <Anchor inherit fw={600} renderRoot={(props) => <Link to={to} {...props} />}>
        {name}
      </Anchor>
      : {message}
    </>
  );
}

export function BlockNote({ of: block }: { of: Block }) {
  return (
    <Alert
      color="orange"
      icon={<IconShieldX size={18} />}
      title="A guardrail blocked the last attempt"
    >
      <Text size="sm">
        <BlockWords of={block} />
      </Text>
    </Alert>
  );
}
