import { Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay } from '../../../api/session';
import { announce } from '../../../display/announce';
import { announceUndoable } from '../../../display/announceUndoable';
import { FormDialog } from '../../../display/FormDialog';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { words } from '../../../display/wording';
import { useChange } from '../queries';
import { Applications } from './Applications';
import { EXAMPLE } from './labels';
import { PastTimeline } from './PastTimeline';
import { createRunbook, removeRunbook, replaceRunbook, tryRunbook, type Runbook } from './queries';

/** Days before now on which a text is tried. */
const DAYS = 14;

/** A runbook with its state, its text and a trial on the past; without one, a text to write. */
export function RunbookDialog({ of, onClose }: { of?: Runbook; onClose: () => void }) {
  const may = useMay()('intelligence.configure');
  const queries = useQueryClient();
  const [copied, setCopied] = useState(false);
  const [source, setSource] = useState(of?.source ?? EXAMPLE);
  const create = useChange(createRunbook);
  const replace = useChange(replaceRunbook);
  const remove = useChange(removeRunbook);
  const trial = useChange(tryRunbook);
  const isNew = !of || copied;
  const isOwn = may && (isNew || !of.is_builtin);

  const saved = () => {
    announce('Runbook saved.');
    onClose();
  };
  const copy = () => {
    setSource(source.replace(/^name = "(.*)"$/m, 'name = "my-$1"'));
    setCopied(true);
  };
  const removed = (runbook: Runbook) => {
    announceUndoable(`“${runbook.name}” is removed.`, async () => {
      await createRunbook(runbook.source);
      await queries.invalidateQueries({ queryKey: ['intelligence'] });
    });
    onClose();
  };

  return (
    <FormDialog
      title={isNew ? 'Write a runbook' : `${words(of.kind)}: ${of.title}`}
      explain={isNew ? undefined : of.description}
      submit={isOwn ? 'Save' : undefined}
      size="xl"
      error={create.error ?? replace.error ?? remove.error}
      pending={create.isPending || replace.isPending}
      aside={
        may &&
        of &&
        !copied && (
          <Group gap="xs">
            {!of.is_builtin && (
              <Button
                variant="subtle"
                color="red"
                loading={remove.isPending}
                onClick={() => remove.mutate(of.name, { onSuccess: () => removed(of) })}
              >
                Remove
              </Button>
            )}
            <Button variant="default" onClick={copy}>
              Write your own from it
            </Button>
          </Group>
        )
      }
      onSubmit={() => {
        if (isNew) create.mutate(source, { onSuccess: saved });
        else replace.mutate({ name: of.name, source }, { onSuccess: saved });
      }}
      onClose={onClose}
    >
      {of && !copied && <Applications of={of} may={may} />}
      <Textarea
        label="Text"
        description="TOML. A sample that does not hold is refused."
        autosize
        minRows={8}
        maxRows={22}
        readOnly={!isOwn}
        spellCheck={false}
        value={source}
        onChange={(event) => setSource(event.currentTarget.value)}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 12.5 } }}
      />
      {may && (
        <Stack gap="xs">
          <Group gap="sm">
            <Button
              variant="default"
              size="xs"
              loading={trial.isPending}
              onClick={() => trial.mutate({ source, days: DAYS })}
            >
              Try on the past
            </Button>
            <Text size="xs" className="muted">
              {`Evaluates the condition over the samples of the last ${DAYS} days. Nothing is changed.`}
            </Text>
          </Group>
          <ProblemAlert error={trial.error} />
          {trial.data && <PastTimeline of={trial.data} />}
        </Stack>
      )}
    </FormDialog>
  );
}
