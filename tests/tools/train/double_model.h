// The loss of a GPT-2-shaped model in double precision and plain loops, dropout included: what the
// gradients are measured against. It shares nothing with the trainer but the parameters' places
// and the choice of what is dropped.
#pragma once
#include <cmath>
#include <span>
#include <vector>
#include "tools/train/dropout.h"
#include "tools/train/model.h"

class DoubleModel {
public:
    DoubleModel(const ModelShape& shape, const Dropout& dropout)
        : shape_(shape), dropout_(dropout), parameters_(parameters_of(shape)) {}

    // The mean loss in nats of ids [B*T] with targets [B*T].
    double loss(const std::vector<double>& numbers, std::span<const int> ids,
                std::span<const int> targets) const {
        const auto [L, H, C, V, T] = shape_;
        const int N = int(ids.size());
        Cursor w{numbers, parameters_};
        const double *wte = w.next(), *wpe = w.next();
        Rows x(N, C);
        for (int n = 0; n < N; ++n)
            for (int c = 0; c < C; ++c)
                x.at(n, c) = wte[ids[std::size_t(n)] * C + c] + wpe[n % T * C + c];
        drop(x, dropout_.embedding());
        for (int l = 0; l < L; ++l) {
            Rows a = linear(norm(x, w), 3 * C, w);
            a = linear(attention(a, dropout_.block(l).attention_weights), C, w);
            drop(a, dropout_.block(l).attention_output);
            add(x, a);
            Rows m = linear(norm(x, w), 4 * C, w);
            for (double& v : m.data)
                v = 0.5 * v * (1 + std::tanh(std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v)));
            m = linear(m, C, w);
            drop(m, dropout_.block(l).mlp_output);
            add(x, m);
        }
        return cross_entropy(norm(x, w), wte, targets);
    }

private:
    struct Rows {
        int rows, cols;
        std::vector<double> data;
        Rows(int r, int c) : rows(r), cols(c), data(std::size_t(r) * std::size_t(c)) {}
        double& at(int r, int c) {
            return data[std::size_t(r) * std::size_t(cols) + std::size_t(c)];
        }
        double at(int r, int c) const {
            return data[std::size_t(r) * std::size_t(cols) + std::size_t(c)];
        }
    };
    // The tensors in their order, each where it lies.
    struct Cursor {
        const std::vector<double>& numbers;
        const std::vector<Parameter>& parameters;
        std::size_t i = 0;
        const double* next() { return numbers.data() + parameters[i++].offset; }
    };

    static void add(Rows& x, const Rows& y) {
        for (std::size_t i = 0; i < x.data.size(); ++i) x.data[i] += y.data[i];
    }
    static void drop(Rows& x, const Mask& mask) {
        if (mask.all()) return;
        for (std::size_t i = 0; i < x.data.size(); ++i) x.data[i] *= double(mask(std::uint32_t(i)));
    }
    static Rows linear(const Rows& x, int out, Cursor& at) {
        const double *w = at.next(), *b = at.next();
        Rows y(x.rows, out);
        for (int n = 0; n < x.rows; ++n)
            for (int j = 0; j < out; ++j) {
                y.at(n, j) = b[j];
                for (int i = 0; i < x.cols; ++i) y.at(n, j) += x.at(n, i) * w[i * out + j];
            }
        return y;
    }
    static Rows norm(const Rows& x, Cursor& at) {
        const double *g = at.next(), *b = at.next();
        Rows y(x.rows, x.cols);
        for (int n = 0; n < x.rows; ++n) {
            double mean = 0, variance = 0;
            for (int c = 0; c < x.cols; ++c) mean += x.at(n, c) / x.cols;
            for (int c = 0; c < x.cols; ++c) variance += std::pow(x.at(n, c) - mean, 2) / x.cols;
            for (int c = 0; c < x.cols; ++c)
                y.at(n, c) =
                    (x.at(n, c) - mean) / std::sqrt(variance + double(1e-5f)) * g[c] + b[c];
        }
        return y;
    }
    Rows attention(const Rows& qkv, const Mask& mask) const {
        const int H = shape_.H, C = shape_.C, T = shape_.T, D = C / H, B = qkv.rows / T;
        Rows mixed(qkv.rows, C);
        for (int row = 0; row < B * H * T; ++row) {
            const int t = row % T, h = row / T % H, b = row / T / H;
            std::vector<double> p;
            double total = 0;
            for (int j = 0; j <= t; ++j) {
                double s = 0;
                for (int d = 0; d < D; ++d)
                    s += qkv.at(b * T + t, h * D + d) * qkv.at(b * T + j, C + h * D + d);
                total += p.emplace_back(std::exp(s / std::sqrt(double(D))));
            }
            for (int j = 0; j <= t; ++j)
                for (int d = 0; d < D; ++d)
                    mixed.at(b * T + t, h * D + d) +=
                        p[std::size_t(j)] / total * qkv.at(b * T + j, 2 * C + h * D + d) *
                        (mask.all() ? 1 : double(mask(std::uint32_t(row * T + j))));
        }
        return mixed;
    }
    double cross_entropy(const Rows& x, const double* wte, std::span<const int> targets) const {
        double loss = 0;
        for (int n = 0; n < x.rows; ++n) {
            double total = 0, right = 0;
            for (int v = 0; v < shape_.V; ++v) {
                double logit = 0;
                for (int c = 0; c < shape_.C; ++c) logit += x.at(n, c) * wte[v * shape_.C + c];
                total += std::exp(logit);
                if (v == targets[std::size_t(n)]) right = logit;
            }
            loss += (std::log(total) - right) / x.rows;
        }
        return loss;
    }

    ModelShape shape_;
    Dropout dropout_;
    std::vector<Parameter> parameters_;
};
