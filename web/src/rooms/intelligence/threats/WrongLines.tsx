import { Alert, Anchor, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { RefObject } from 'react';
import { plural } from '../../../display/amounts';
import { MOST_ERRORS, spanOf, type WrongLine } from './indicators';

/** Height of a line of the text, pixels, and how many are left above the one that is gone to. */
const LINE = { height: 18, above: 3 };

interface Props {
  of: WrongLine[];
  text: string;
  area: RefObject<HTMLTextAreaElement | null>;
}

/** Lines that the service refused, each a way to where it stands. */
export function WrongLines({ of: wrong, text, area }: Props) {
  if (wrong.length === 0) return null;
  const go = (line: number) => {
    const field = area.current;
    if (!field) return;
    field.focus();
    field.setSelectionRange(...spanOf(text, line));
    field.scrollTo({ top: Math.max(0, (line - 1 - LINE.above) * LINE.height), left: 0 });
  };
  const more = wrong.length >= MOST_ERRORS;
  return (
    <Alert
      color="red"
      variant="light"
      icon={<IconAlertTriangle size={18} />}
      role="alert"
      title={
        more
          ? `The first ${MOST_ERRORS} lines that are wrong`
          : plural(wrong.length, 'line is wrong', 'lines are wrong')
      }
    >
      <Stack
        component="ul"
        gap={4}
        m={0}
        p={0}
        style={{ listStyle: 'none', maxHeight: 180, overflowY: 'auto' }}
        tabIndex={0}
      >
        {wrong.map(({ line, message }) => (
          <Text component="li" size="sm" key={line} style={{ overflowWrap: 'anywhere' }}>
            <Anchor component="button" type="button" size="sm" fw={600} onClick={() => go(line)}>
              Line {line}
            </Anchor>
            : {message}
          </Text>
        ))}
      </Stack>
    </Alert>
  );
}
