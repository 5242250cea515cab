import { Button, Checkbox, Group, Stack, TagsInput, Textarea, TextInput } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { announce } from '../../../display/announce';
import { FormDialog } from '../../../display/FormDialog';
import { Select } from '../../../display/Select';
import { options } from '../../../display/wording';
import { PRIORITY_ORDER } from '../priorities';
import { useChange } from '../queries';
import { ACTIONS, CHANGING } from './labels';
import {
  createPlaybook,
  removePlaybook,
  replacePlaybook,
  type Playbook,
  type PlaybookAction,
} from './queries';

const SUBJECTS = ['principal', 'address', 'virtual_machine'];
const EMPTY: Omit<Playbook, 'name' | 'is_builtin'> = {
  title: '',
  description: '',
  trigger: { automatic: false, severity: 'high', subjects: [], techniques: [], members: [] },
  steps: [{ action: 'notify', channels: [], message: '' }],
};

/** Writes a playbook, or edits one. */
export function PlaybookDialog({ of, onClose }: { of?: Playbook; onClose: () => void }) {
  const [name, setName] = useState(of?.name ?? '');
  const [draft, setDraft] = useState({ ...EMPTY, ...of });
  const create = useChange(createPlaybook);
  const replace = useChange(replacePlaybook);
  const remove = useChange(removePlaybook);
  const { title, description, trigger, steps } = draft;
  const change = (part: Partial<typeof draft>) => setDraft({ ...draft, ...part });
  const step = (at: number, part: Partial<(typeof steps)[number]>) =>
    change({ steps: steps.map((one, place) => (place === at ? { ...one, ...part } : one)) });
  const done = (said: string) => () => {
    announce(said);
    onClose();
  };

  return (
    <FormDialog
      title={of ? `Edit ${of.title}` : 'Write a playbook'}
      explain="Steps run in this order. Each change needs its own approval and can be rolled back."
      submit="Save"
      size="lg"
      error={create.error ?? replace.error ?? remove.error}
      pending={create.isPending || replace.isPending}
      aside={
        of && (
          <Button
            variant="subtle"
            color="red"
            loading={remove.isPending}
            onClick={() => remove.mutate(of.name, { onSuccess: done('Playbook removed.') })}
          >
            Remove
          </Button>
        )
      }
      onSubmit={() => {
        const content = { title, description, trigger, steps };
        if (of)
          replace.mutate({ name: of.name, ...content }, { onSuccess: done('Playbook saved.') });
        else create.mutate({ name, ...content }, { onSuccess: done('Playbook saved.') });
      }}
      onClose={onClose}
    >
      {!of && (
        <TextInput
          label="Name"
          description="Lowercase letters, digits and hyphens"
          required
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
      )}
      <TextInput
        label="Title"
        required
        value={title}
        onChange={(event) => change({ title: event.currentTarget.value })}
      />
      <Textarea
        label="Description"
        autosize
        minRows={2}
        value={description}
        onChange={(event) => change({ description: event.currentTarget.value })}
      />
      <Group grow align="flex-start">
        <Select
          label="From severity"
          data={options(PRIORITY_ORDER)}
          value={trigger.severity}
          onChange={(severity) =>
            severity &&
            change({
              trigger: { ...trigger, severity: severity as Playbook['trigger']['severity'] },
            })
          }
        />
        <TagsInput
          label="Findings about"
          data={SUBJECTS}
          value={trigger.subjects}
          onChange={(subjects) => change({ trigger: { ...trigger, subjects } })}
        />
        <TagsInput
          label="ATT&CK techniques"
          placeholder="T1078"
          value={trigger.techniques}
          onChange={(techniques) => change({ trigger: { ...trigger, techniques } })}
        />
      </Group>
      <Checkbox
        label="Run automatically when an incident fits"
        checked={trigger.automatic}
        onChange={(event) =>
          change({ trigger: { ...trigger, automatic: event.currentTarget.checked } })
        }
      />
      <Stack gap="xs">
        {steps.map((one, at) => (
          <Group key={at} align="flex-end" gap="xs" wrap="nowrap">
            <div style={{ flex: 1 }}>
              <Select
                label={`Step ${at + 1}`}
                data={Object.entries(ACTIONS).map(([value, label]) => ({ value, label }))}
                value={one.action}
                onChange={(action) =>
                  action &&
                  step(at, { action: action as PlaybookAction, channels: [], message: '' })
                }
              />
            </div>
            {!CHANGING.includes(one.action) && (
              <TextInput
                label="Message"
                value={one.message}
                onChange={(event) => step(at, { message: event.currentTarget.value })}
                style={{ flex: 2 }}
              />
            )}
            <Button
              variant="subtle"
              color="red"
              px="xs"
              aria-label={`Remove step ${at + 1}`}
              disabled={steps.length === 1}
              onClick={() => change({ steps: steps.filter((_, place) => place !== at) })}
            >
              <IconTrash size={16} />
            </Button>
          </Group>
        ))}
        <Button
          variant="default"
          size="xs"
          style={{ alignSelf: 'flex-start' }}
          onClick={() =>
            change({ steps: [...steps, { action: 'notify', channels: [], message: '' }] })
          }
        >
          Add a step
        </Button>
      </Stack>
    </FormDialog>
  );
}
