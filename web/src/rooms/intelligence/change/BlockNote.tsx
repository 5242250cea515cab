import { Alert, Anchor, Text } from '@mantine/core';
import { IconShieldX } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { sentence } from '../../../display/wording';
import { blockOf, guardrailPlace } from './policy';

/** A block in the service's words: which guardrail, its limit and the value, and where the limit is set. */
export function BlockWords({ text }: { text: string }) {
  const { guardrail, message } = blockOf(text);
  if (!guardrail) return <>{sentence(text)}</>;
  const { name, to } = guardrailPlace(guardrail);
  return <><Anchor inherit fw={600} renderRoot={(props) => <Link to={to} {...props} />}>{name}</Anchor>: {message}</>;
}

export function BlockNote({ text }: { text: string }) {
  return (
    <Alert color="orange" icon={<IconShieldX size={18} />} title="A guardrail blocked the last attempt">
      <Text size="sm"><BlockWords text={text} /></Text>
    </Alert>
  );
}
