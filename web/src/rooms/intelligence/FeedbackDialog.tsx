import type { components } from '../../api/schema';
import { Group, Radio, Rating, Stack, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import type { Recommendation } from '../../api/bodies';
import { announce } from '../../display/announce';
import { FormDialog } from '../../display/FormDialog';
import { feedback, useChange } from './queries';

const OUTCOMES = [
  { value: 'implemented_successfully', label: 'Implemented successfully', ask: 'Comments' },
  { value: 'implemented_issues', label: 'Implemented, with issues', ask: 'What went wrong?' },
  { value: 'not_applicable', label: 'Not applicable', ask: 'Why does it not apply?' },
  { value: 'not_now', label: 'Not now', ask: 'What are the circumstances?' },
];

/** How it went: four kinds, a rating, words. */
export function FeedbackDialog({ of: one, onClose }: { of: Recommendation; onClose: () => void }) {
  // What nobody has carried out did not go well or badly yet.
  const [outcome, setOutcome] = useState(
    one.status === 'succeeded' ? 'implemented_successfully' : '',
  );
  const [rating, setRating] = useState(0);
  const [comments, setComments] = useState('');
  const change = useChange(feedback);
  const needed = outcome !== '' && outcome !== 'implemented_successfully';
  const send = () => {
    const given = {
      id: one.id,
      outcome: outcome as components['schemas']['FeedbackOutcome'],
      rating: rating || undefined,
      comments: comments.trim() || undefined,
    };
    change.mutate(given, {
      onSuccess: () => {
        announce('Feedback saved.');
        onClose();
      },
    });
  };
  return (
    <FormDialog
      title="Feedback"
      explain="Your feedback changes how later recommendations are ranked."
      submit="Send feedback"
      error={change.error}
      pending={change.isPending}
      disabled={outcome === '' || (needed && comments.trim() === '')}
      onSubmit={send}
      onClose={onClose}
    >
      <Radio.Group label="How did it go?" value={outcome} onChange={setOutcome}>
        <Stack gap={8} mt={6}>
          {OUTCOMES.map(({ value, label }) => (
            <Radio key={value} value={value} label={label} />
          ))}
        </Stack>
      </Radio.Group>
      <Group gap="sm">
        <Text size="sm" fw={500}>
          Rating
        </Text>
        <Rating value={rating} onChange={setRating} getSymbolLabel={(stars) => `${stars} of 5`} />
      </Group>
      <Textarea
        label={OUTCOMES.find(({ value }) => value === outcome)?.ask ?? 'Comments'}
        required={needed}
        placeholder={needed ? undefined : 'Optional'}
        autosize
        minRows={2}
        value={comments}
        onChange={(event) => setComments(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
