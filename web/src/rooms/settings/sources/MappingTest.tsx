import { Alert, Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useState } from 'react';
import { CodeBlock } from '../../../display/CodeBlock';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { plural } from '../../../display/amounts';
import { useChange } from '../queries';
import { SAMPLES } from './kinds';
import { previewSample } from './queries';
import type { LogSourceKind, Mapping, PreviewedEvent } from './queries';

interface Props {
  kind: LogSourceKind;
  /** The rules as they are typed now. */
  mapping?: Mapping;
}

/** Reads a sample as the source would: the entry that it becomes, and what no rule reads. */
export function MappingTest({ kind, mapping }: Props) {
  const [typed, setTyped] = useState<string | null>(null);
  const preview = useChange(previewSample);
  const sample = typed ?? SAMPLES[kind];
  const [first] = preview.data?.items ?? [];
  return (
    <Stack gap="xs">
      <Textarea
        label="Sample"
        description="A body as the source sends it. Nothing is written"
        autosize
        minRows={2}
        maxRows={8}
        value={sample}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <Group gap="sm">
        <Button
          variant="default"
          leftSection={<IconPlayerPlay size={16} />}
          loading={preview.isPending}
          onClick={() => preview.mutate({ kind, mapping, sample })}
        >
          Read the sample
        </Button>
        {preview.data && (
          <Text size="sm" className="muted">
            {plural(preview.data.total, 'event')}
          </Text>
        )}
      </Group>
      <ProblemAlert error={preview.error} />
      {first && <Outcome event={first} />}
    </Stack>
  );
}

function Outcome({ event }: { event: PreviewedEvent }) {
  if (event.rejection)
    return (
      <Alert color="orange" variant="light" title="This event would go into quarantine">
        <Text size="sm">
          {event.rejection.field && `${event.rejection.field}: `}
          {event.rejection.message}
        </Text>
      </Alert>
    );
  return (
    <Stack gap="xs">
      <CodeBlock label="Entry" text={JSON.stringify(event.entry, null, 2)} />
      <Text size="sm" className="muted">
        {event.left_over.length > 0
          ? `Left over, kept under metadata.item: ${event.left_over.join(', ')}`
          : 'Nothing is left over.'}
      </Text>
    </Stack>
  );
}
