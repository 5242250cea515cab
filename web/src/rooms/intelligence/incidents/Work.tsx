import { Button, Checkbox, Group, Stack, Text, TextInput, Textarea } from '@mantine/core';
import { useState } from 'react';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { When } from '../../../display/When';
import { useChange } from '../queries';
import { addNote, addTask, editTask, type Incident } from './queries';

/** Tasks of an incident, and a field to add one. */
export function Tasks({ of: one, may }: { of: Incident; may: boolean }) {
  const [text, setText] = useState('');
  const add = useChange(addTask);
  const edit = useChange(editTask);
  return (
    <Panel title="Tasks">
      <Stack gap="sm">
        {one.tasks.length === 0 && (
          <Text size="sm" className="muted">
            No task yet.
          </Text>
        )}
        {one.tasks.map((task) => (
          <Checkbox
            key={task.id}
            label={task.text}
            description={task.assignee ?? undefined}
            checked={task.done_at !== null}
            disabled={!may || edit.isPending}
            onChange={(event) =>
              edit.mutate({ id: one.id, task: task.id, done: event.currentTarget.checked })
            }
          />
        ))}
        <ProblemAlert error={add.error ?? edit.error} />
        {may && (
          <form
            onSubmit={(event) => {
              event.preventDefault();
              add.mutate({ id: one.id, text }, { onSuccess: () => setText('') });
            }}
          >
            <Group gap="xs" wrap="nowrap">
              <TextInput
                aria-label="New task"
                placeholder="New task"
                value={text}
                onChange={(event) => setText(event.currentTarget.value)}
                style={{ flex: 1 }}
              />
              <Button
                type="submit"
                variant="default"
                loading={add.isPending}
                disabled={!text.trim()}
              >
                Add task
              </Button>
            </Group>
          </form>
        )}
      </Stack>
    </Panel>
  );
}

/** Notes of an incident, and a field to add one. */
export function Notes({ of: one, may }: { of: Incident; may: boolean }) {
  const [text, setText] = useState('');
  const add = useChange(addNote);
  return (
    <Panel title="Notes">
      <Stack gap="sm">
        {one.notes.length === 0 && (
          <Text size="sm" className="muted">
            No note yet.
          </Text>
        )}
        {one.notes.map((note, at) => (
          <div key={at}>
            <Text size="xs" className="muted">
              {note.by}, <When at={note.at} form="full" />
            </Text>
            <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
              {note.text}
            </Text>
          </div>
        ))}
        <ProblemAlert error={add.error} />
        {may && (
          <form
            onSubmit={(event) => {
              event.preventDefault();
              add.mutate({ id: one.id, text }, { onSuccess: () => setText('') });
            }}
          >
            <Stack gap="xs">
              <Textarea
                aria-label="New note"
                placeholder="New note"
                autosize
                minRows={2}
                value={text}
                onChange={(event) => setText(event.currentTarget.value)}
              />
              <Button
                type="submit"
                variant="default"
                loading={add.isPending}
                disabled={!text.trim()}
                style={{ alignSelf: 'flex-end' }}
              >
                Add note
              </Button>
            </Stack>
          </form>
        )}
      </Stack>
    </Panel>
  );
}
