/* Labels beside points: each goes where it covers least, and nowhere when it would cover another
 * label or much else. Greedy over a ring of candidates; a label that stands apart gets a line to
 * its point. */
#include "plot/plot_internal.h"

#include <math.h>

#define FORBIDDEN 1e9
#define SEGMENT_COST 40.0
#define POINT_COST 60.0
#define LEADER_COST 300.0 /* a leader across another label */
#define LEADER_FROM_PX 14.0
#define NEARER_COST 6.0 /* nearer to the point of another, or as near within SAME_PX */
#define SAME_PX 2.0
/* A label of a point that would cover so much says less than it hides; in a crowd, whose points are
 * named by their ends alone, a label covers none of them. */
#define NOT_WORTH 100.0
#define NOT_WORTH_IN_CROWD 59.0
enum { CROWD = 130 };
#define NAME_MOST_PX 260.0
#define LINE_MOST_SHARE 0.7 /* of the area: a line's label holds numbers after the name */

struct placed {
    struct ec__box box;
    double leader[4];
    bool has_leader;
};

/* Directions around the point, preferred first, and how far. */
static const double around[][2] = {
    {1,      0   },
    { 0.7,   -0.9},
    { 0,     -1  },
    { -0.7,  -0.9},
    { 0.7,   0.9 },
    { 0,     1   },
    { -1,    0   },
    { -0.7,  0.9 },
    { 0.35,  -1  },
    { -0.35, -1  },
    { 0.35,  1.0 },
    { -0.35, 1   },
};
static const double distances[] = { 3, 12, 22, 34, 48, 64, 84, 110, 140 };
/* Beside a line's end: how far its right end slides to the left, as a share of the area. */
static const double slides[] = { 0, 0.06, 0.12, 0.2, 0.3, 0.4, 0.5, 0.6 };

bool ec__crosses(const double *s, const struct ec__box *b, double *ret_part)
{
    double from = 0, to = 1, dx = s[2] - s[0], dy = s[3] - s[1];
    double d[4] = { -dx, dx, -dy, dy };
    double q[4] = { s[0] - b->x0, b->x1 - s[0], s[1] - b->y0, b->y1 - s[1] };
    int i;

    for (i = 0; i < 4; i++) {
        if (d[i] == 0 && q[i] < 0)
            return false;
        if (d[i] < 0)
            from = fmax(from, q[i] / d[i]);
        else if (d[i] > 0)
            to = fmin(to, q[i] / d[i]);
    }
    if (ret_part)
        ret_part[0] = from, ret_part[1] = to;
    return from <= to;
}

/* From `most` on the sum is of no interest, and ends. */
static double cost_of(const struct ec__box *box, const double *leader, const struct placed *done,
                      int n_done, const struct ec__obstacles *o, double most)
{
    double cost = 0;
    int i;

    for (i = 0; i < n_done; i++) {
        if (ec__box_meets(box, &done[i].box))
            return FORBIDDEN;
        if (leader && ec__crosses(leader, &done[i].box, NULL))
            cost += LEADER_COST;
        if (done[i].has_leader && ec__crosses(done[i].leader, box, NULL))
            cost += LEADER_COST;
    }
    for (i = 0; i < o->n_boxes && cost < most; i++)
        if (ec__box_meets(box, &o->boxes[i]))
            cost += POINT_COST;
    for (i = 0; i < o->n_segments && cost < most; i++)
        if (ec__crosses(o->segments + 4 * i, box, NULL))
            cost += SEGMENT_COST;
    return cost;
}

static bool within(const struct ec__box *in, const struct ec__box *box)
{
    return box->x0 >= in->x0 && box->x1 <= in->x1 && box->y0 >= in->y0 && box->y1 <= in->y1;
}

/* From the point's rim to the nearest place of the box. */
static void lead(const struct ec__label *l, const struct ec__box *box, double out[4])
{
    double x = fmin(fmax(l->x, box->x0), box->x1), y = fmin(fmax(l->y, box->y0), box->y1);
    double far = hypot(x - l->x, y - l->y), share = far > 0 ? l->radius / far : 0;

    out[0] = l->x + share * (x - l->x);
    out[1] = l->y + share * (y - l->y);
    out[2] = x;
    out[3] = y;
}

static double distance(const struct ec__box *b, double x, double y)
{
    return hypot(x - fmin(fmax(x, b->x0), b->x1), y - fmin(fmax(y, b->y0), b->y1));
}

/* Whether a reader may take the label for that of another point. */
static bool is_doubtful(const struct ec__label *l, const struct ec__box *box,
                        const struct ec__obstacles *o)
{
    double own = distance(box, l->x, l->y) + SAME_PX;
    int i;

    for (i = 0; i < o->n_boxes; i++) {
        double x = (o->boxes[i].x0 + o->boxes[i].x1) / 2, y = (o->boxes[i].y0 + o->boxes[i].y1) / 2;

        if (hypot(x - l->x, y - l->y) > SAME_PX && distance(box, x, y) < own)
            return true;
    }
    return false;
}

struct size {
    double w, h;
};

static void try_box(const struct ec__label *l, const struct ec__box *area, struct ec__box box,
                    double extra, const struct placed *done, int n_done,
                    const struct ec__obstacles *o, struct placed *best, double *best_cost)
{
    double leader[4], cost;
    bool apart;

    if (!within(area, &box))
        return;
    lead(l, &box, leader);
    apart = !l->on_line && hypot(leader[2] - leader[0], leader[3] - leader[1]) > LEADER_FROM_PX;
    cost = extra + cost_of(&box, apart ? leader : NULL, done, n_done, o, *best_cost - extra);
    if (cost < *best_cost && !l->on_line && !apart && is_doubtful(l, &box, o)) {
        apart = true;
        extra += NEARER_COST;
        cost = extra + cost_of(&box, leader, done, n_done, o, *best_cost - extra);
    }
    if (cost >= *best_cost)
        return;
    *best_cost = cost;
    best->box = box;
    best->has_leader = apart;
    lead(l, &box, best->leader);
}

static struct ec__box candidate(const struct ec__label *l, const struct size *s, const double *dir,
                                double far)
{
    double cx = l->x + dir[0] * (l->radius + far + s->w / 2);
    double cy = l->y + dir[1] * (l->radius + far + s->h / 2);

    return (struct ec__box){ cx - s->w / 2, cy - s->h / 2, cx + s->w / 2, cy + s->h / 2 };
}

/* Whole lines away from it, above and below in turn. */
static const double up_lines[] = { 0, 0, 1, 1, 2, 2 };

static bool place(const struct ec__label *l, const struct ec__box *area, const struct size *s,
                  const struct placed *done, int n_done, const struct ec__obstacles *o,
                  struct placed *best)
{
    double best_cost = FORBIDDEN, step = area->x1 - area->x0;
    int i, k;

    if (l->on_line) {
        for (i = 0; i < EC_LEN(slides); i++)
            for (k = 0; k < EC_LEN(up_lines); k++) {
                double right = fmin(l->x, area->x1) - slides[i] * step;
                double up = (k % 2 ? 1 : -1) * (3 + s->h / 2 + up_lines[k] * s->h);
                struct ec__box b = { right - s->w, l->y + up - s->h / 2, right,
                                     l->y + up + s->h / 2 };

                try_box(l, area, b, 4 * k + 3 * i, done, n_done, o, best, &best_cost);
            }
    }
    for (k = 0; k < EC_LEN(distances) && !l->on_line; k++)
        for (i = 0; i < EC_LEN(around); i++)
            try_box(l, area, candidate(l, s, around[i], distances[k]), 0.5 * distances[k] + 0.8 * i,
                    done, n_done, o, best, &best_cost);
    return best_cost < (l->on_line           ? FORBIDDEN
                        : o->n_boxes > CROWD ? NOT_WORTH_IN_CROWD
                                             : NOT_WORTH);
}

void ec__labels_place(struct ec_drawing *d, const struct ec__box *area,
                      const struct ec__label *labels, int n, const struct ec__obstacles *o)
{
    struct ec__font font = { .role = EC_ROLE_LABEL, .size_px = EC__LABEL_PX, .fill = EC__INK };
    struct placed *done = n ? ec_alloc(sizeof *done * (size_t)n) : NULL;
    int i, n_done = 0;

    if (n && !done)
        d->st = EC_E_NOMEM;
    /* Those of points, which can stand in few places, come first. */
    for (i = 0; i < 2 * n && !d->st; i++) {
        const struct ec__label *l = &labels[i % n];
        double most =
            l->on_line ? fmax(NAME_MOST_PX, LINE_MOST_SHARE * (area->x1 - area->x0)) : NAME_MOST_PX;
        const char *text;
        struct ec__pen thin = { .role = EC_ROLE_LEADER, .stroke = EC__GREY, .px = 0.8 };
        struct placed *at = &done[n_done];
        struct size s;

        if (l->on_line != (i >= n))
            continue;
        text = ec__text_clean(&d->arena, l->text, EC__LABEL_PX, most);
        if (!text) {
            d->st = EC_E_NOMEM;
            break;
        }
        s = (struct size){ ec__text_px(text, EC__LABEL_PX, false) + 2, EC__LABEL_PX + 2 };
        if (!place(l, area, &s, done, n_done, o, at)) {
            d->labels_left_out++;
            continue;
        }
        n_done++;
        if (at->has_leader)
            ec__draw_line(d, &thin, at->leader[0], at->leader[1], at->leader[2], at->leader[3]);
        font.fill = l->on_line ? ec__darker(l->colour) : EC__INK;
        /* Boxes are wider than their texts, which stand at the side of the point. */
        font.anchor = at->box.x1 < l->x ? EC_ANCHOR_END : EC_ANCHOR_START;
        ec__draw_text(d, &font, font.anchor == EC_ANCHOR_END ? at->box.x1 - 1 : at->box.x0 + 1,
                      (at->box.y0 + at->box.y1) / 2 + EC__LABEL_PX * EC__BASELINE, text);
    }
    ec_free(done);
}
